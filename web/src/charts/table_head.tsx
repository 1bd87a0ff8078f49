// The head of a table of figures: what a row is about, then a column of numbers for each name.
import type { ComponentChildren } from "preact";

export function TableHead({
  about,
  figures,
  children,
}: {
  about: string;
  figures: string[];
  children?: ComponentChildren;
}) {
  return (
    <thead>
      <tr>
        <th scope="col">{about}</th>
        {figures.map((name) => (
          <th scope="col" class="number">
            {name}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  );
}

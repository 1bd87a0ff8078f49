// The name of an arm with its thumbnail; the id and the text of its payload on pointing.
import { nameOf, shortNameOf, type ArmNames } from "./arm_names";

export function ArmLabel({
  id,
  names,
  most = 40,
}: {
  id: string;
  names: ArmNames;
  most?: number; // letters
}) {
  const known = names.get(id);
  const name = nameOf(names, id);
  const title = [name, name === id ? "" : `id ${id}`, known?.text ?? ""].filter(Boolean).join("\n");
  return (
    <span class="arm-label" title={title}>
      {known?.picture && <img src={known.picture} alt="" referrerpolicy="no-referrer" />}
      <span class="arm-name">{shortNameOf(names, id, most)}</span>
    </span>
  );
}

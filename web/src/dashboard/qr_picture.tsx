// A link as a QR code, drawn in the page itself.
import { useMemo } from "preact/hooks";
import { qrCode } from "./qr_code";

const QUIET_ZONE = 4; // modules around the code, which readers need

export function QrPicture({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => qrCode(text), [text]);
  if (!rows) return <p class="small quiet">The link is too long for a QR code.</p>;
  const size = rows.length + 2 * QUIET_ZONE;
  const path = rows
    .flatMap((row, y) =>
      row.map((dark, x) => (dark ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : "")),
    )
    .join("");
  // Dark on light in both schemes: many readers know no other.
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" shape-rendering="crispEdges" />
    </svg>
  );
}

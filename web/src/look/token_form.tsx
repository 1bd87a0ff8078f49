// A form for a token, where none is known or the known one will not do.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { keepToken } from "../api/token";

export function TokenForm({ label, children }: { label: string; children: ComponentChildren }) {
  const [token, setToken] = useState("");
  return (
    <form
      class="card token-form"
      onSubmit={(event) => {
        event.preventDefault();
        keepToken(token.trim());
        location.reload();
      }}
    >
      {children}
      <label for="token">Token</label>
      <div class="row">
        <input
          id="token"
          type="password"
          required
          autocomplete="off"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <button class="main">{label}</button>
      </div>
    </form>
  );
}

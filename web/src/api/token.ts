// The reader's token: given in the fragment of a link or typed, kept for this tab only. It
// is never part of an address that a server or a history sees.

const KEY = "duel.token";

// "#token=duel_vote_abc" -> the token; nothing else may stand in a fragment.
export function tokenOfFragment(fragment: string): string | null {
  const found = /^#token=([A-Za-z0-9._~-]{1,200})$/.exec(fragment);
  return found?.[1] ?? null;
}

export function takeTokenFromAddress(): void {
  const token = tokenOfFragment(location.hash);
  if (!token) return;
  keepToken(token);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    remembered = token;
  }
}

// Where a browser allows no storage, a token lives as long as the page.
let remembered: string | null = null;

export function currentToken(): string | null {
  try {
    return sessionStorage.getItem(KEY) ?? remembered;
  } catch {
    return remembered;
  }
}

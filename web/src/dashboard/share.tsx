// Links that let people vote in one experiment and do nothing else: making them, showing them with a
// QR code, and revoking them.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../api/client";
import { currentToken, keepToken } from "../api/token";
import type { Experiment, Token, TokenRequest } from "../api/types";
import { count } from "../charts/numbers";
import { namesOf, rememberedMembers } from "./members";
import { Copyable, Curl, Failure } from "./parts";
import { QrPicture } from "./qr_picture";

const MOST_LINKS = 100; // made at once
const ENDINGS: [days: number, label: string][] = [
  [0, "never"],
  [1, "in a day"],
  [7, "in a week"],
  [30, "in 30 days"],
];

export const votingPath = (id: string): string => `/vote/${encodeURIComponent(id)}`;
export const votingLink = (address: string, id: string, token: string): string =>
  `${address.replace(/\/+$/, "")}${votingPath(id)}#token=${token}`;

const isLoopback = (url: string) => /^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:\d+)?$/.test(url);

// Who reaches it at that address, for people.
export function reachOf(url: string): string {
  if (isLoopback(url)) return "this machine only";
  return url.startsWith("https:") ? "everybody who can open it" : "your network";
}

export interface Wanted {
  name: string;
  each: boolean; // a link for each person, and not one for all
  people: string;
  members: string[] | null; // of a panel's list: a link for each of these, and for nobody else
  perDay: string;
  perAddress: string;
  days: number;
}

// The tokens that such links need. `now` is in milliseconds.
export function tokensOf(id: string, wanted: Wanted, now: number): TokenRequest[] {
  const called = wanted.name.trim() || "Voting link";
  const plain: TokenRequest = {
    scope: "vote",
    experiment_id: id,
    ...(wanted.days > 0
      ? { expires_at: new Date(now + wanted.days * 86_400_000).toISOString() }
      : {}),
  };
  // It is the member's in any browser.
  if (wanted.members)
    return wanted.members
      .slice(0, MOST_LINKS)
      .map((member) => ({ ...plain, name: member.slice(0, 100), member }));
  if (!wanted.each) {
    return [
      {
        ...plain,
        name: called.slice(0, 100),
        max_subjects_per_day: Number(wanted.perDay),
        max_subjects_per_address_per_day: Number(wanted.perAddress),
      },
    ];
  }
  const people = Math.max(1, Math.min(MOST_LINKS, Math.floor(Number(wanted.people)) || 1));
  return Array.from({ length: people }, (_, k) => ({
    ...plain,
    name: `${called.slice(0, 90)} ${k + 1}`,
    one_browser: true,
  }));
}

interface Made {
  id: string;
  name: string;
  link: string;
}

function MadeLinks({
  made,
  ofMembers,
  close,
}: {
  made: Made[];
  ofMembers: boolean;
  close: () => void;
}) {
  const [copied, setCopied] = useState(false);
  const all = made.map((one) => `${one.name}\t${one.link}`).join("\n");
  return (
    <>
      <p class="small quiet">
        {made.length === 1
          ? "Copy it now: it is shown only once."
          : `Copy them now: they are shown only once. ${
              ofMembers
                ? "Each is for the member whose name it has."
                : "Each is for the first browser that opens it."
            }`}
      </p>
      <ul class="made-links">
        {made.map((one) => (
          <li>
            <QrPicture text={one.link} label={`QR code of ${one.name}`} />
            <div>
              <p class="small made-name">{one.name}</p>
              <Copyable text={one.link} label={`Link: ${one.name}`} />
            </div>
          </li>
        ))}
      </ul>
      <p class="row">
        {made.length > 1 && (
          <button
            onClick={() => {
              void navigator.clipboard?.writeText(all).then(
                () => setCopied(true),
                () => setCopied(false),
              );
            }}
          >
            {copied ? "Copied" : "Copy all, one per line"}
          </button>
        )}
        <button class="main" onClick={close}>
          Done
        </button>
      </p>
    </>
  );
}

interface ShareProps {
  id: string;
  name: string;
  panel: Experiment["panel"];
}

// Whose links they are, where a panel has a list: only its members are asked.
function MembersToLink({
  pasted,
  setPasted,
  names,
  size,
}: {
  pasted: string;
  setPasted: (pasted: string) => void;
  names: string[];
  size: number;
}) {
  return (
    <label>
      Members
      <textarea
        class="short"
        required
        value={pasted}
        spellcheck={false}
        placeholder={"Ann\nBob\nCem"}
        onInput={(event) => setPasted(event.currentTarget.value)}
      />
      <span class="small quiet says" aria-live="polite">
        Their names as on the panel's list of {count(size)}, one per line: a link for each. Whoever
        has a link with a name that is not on the list is asked nothing.
        {names.length > MOST_LINKS &&
          ` At most ${MOST_LINKS} links are made at once: these are the first.`}
      </span>
    </label>
  );
}

function ShareForm({ id, name, panel, close }: ShareProps & { close: () => void }) {
  const listed = panel?.listed ?? false;
  const [pasted, setPasted] = useState(() => (listed ? rememberedMembers(id).join("\n") : ""));
  // Who holds a seat of a panel with a size is one of so many: a link for each keeps one person to one.
  const [chosen, setWanted] = useState<Omit<Wanted, "members">>({
    name: "",
    each: panel !== undefined && panel.size !== null,
    people: String(Math.min(MOST_LINKS, panel?.size ?? 6)),
    perDay: "1000",
    perAddress: "30",
    days: 0,
  });
  const [key, setKey] = useState(""); // of the owner, made here
  const [made, setMade] = useState<Made[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const wanted: Wanted = { ...chosen, members: listed ? namesOf(pasted) : null };
  const isOpen = currentToken() === null;
  const requests = tokensOf(id, wanted, Date.now());
  const make = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      if (currentToken() === null) {
        const body: TokenRequest = { scope: "admin", name: "owner, made by Share" };
        const owner = await ask("create_token", {}, { body });
        keepToken(owner.token);
        setKey(owner.token);
      }
      const links: Made[] = [];
      for (const body of requests) {
        const token = await ask("create_token", {}, { body });
        links.push({
          id: token.token_id,
          name: token.name ?? "",
          link: votingLink(location.origin, id, token.token),
        });
      }
      setMade(links);
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  const change = (part: Partial<Wanted>) => setWanted({ ...chosen, ...part });
  return (
    <>
      <div class="heading">
        <h2>Share {name}</h2>
        <button class="small" onClick={close} aria-label="Close">
          ✕
        </button>
      </div>
      {key && (
        <div class="notice">
          <p>
            <strong>Your key.</strong> Until now everybody who reached this server could do
            everything; from now on only this key can. It is kept for this tab. Save it: it is shown
            only once.
          </p>
          <Copyable text={key} label="Your key" />
        </div>
      )}
      {made.length > 0 ? (
        <MadeLinks made={made} ofMembers={listed} close={close} />
      ) : (
        <form class="stack" onSubmit={make}>
          <p class="small quiet">
            Who has the link can vote here and do nothing else. Voters do not see who leads.
          </p>
          {listed ? (
            <MembersToLink
              pasted={pasted}
              setPasted={setPasted}
              names={wanted.members ?? []}
              size={panel?.size ?? 0}
            />
          ) : (
            <fieldset>
              <legend>Who votes?</legend>
              <label class="choice">
                <input
                  type="radio"
                  name="each"
                  checked={!wanted.each}
                  onChange={() => change({ each: false })}
                />{" "}
                Everybody who has the link
              </label>
              <label class="choice">
                <input
                  type="radio"
                  name="each"
                  checked={wanted.each}
                  onChange={() => change({ each: true })}
                />{" "}
                People I choose: a link for each, which works in one browser only
              </label>
            </fieldset>
          )}
          <div class="pairs">
            {!listed && (
              <label>
                Called, for your own list
                <input
                  value={wanted.name}
                  maxLength={80}
                  placeholder="Voting link"
                  onInput={(event) => change({ name: event.currentTarget.value })}
                />
              </label>
            )}
            {listed ? null : wanted.each ? (
              <label>
                How many people
                <input
                  type="number"
                  min="1"
                  max={MOST_LINKS}
                  required
                  value={wanted.people}
                  onInput={(event) => change({ people: event.currentTarget.value })}
                />
              </label>
            ) : (
              <>
                <label>
                  Browsers in a day, at most
                  <input
                    type="number"
                    min="1"
                    max="1000000"
                    required
                    value={wanted.perDay}
                    onInput={(event) => change({ perDay: event.currentTarget.value })}
                  />
                </label>
                <label>
                  From one address, at most
                  <input
                    type="number"
                    min="1"
                    max="1000000"
                    required
                    value={wanted.perAddress}
                    onInput={(event) => change({ perAddress: event.currentTarget.value })}
                  />
                </label>
              </>
            )}
            <label>
              Ends
              <select
                value={String(wanted.days)}
                onChange={(event) => change({ days: Number(event.currentTarget.value) })}
              >
                {ENDINGS.map(([days, label]) => (
                  <option value={String(days)}>{label}</option>
                ))}
              </select>
            </label>
          </div>
          <p class="small quiet">
            The link begins with <code>{location.origin}</code>, which is for{" "}
            {reachOf(location.origin)}.
            {isLoopback(location.origin) && (
              <>
                {" "}
                For others serve at another address (<code>--listen</code>), or behind a proxy (
                <code>--public-url</code>), and open this page there.
              </>
            )}
          </p>
          {isOpen && (
            <p class="notice small">
              Everybody who reaches this server can do everything so far. The first link ends that:
              you get a key, which is kept for this tab and shown here.
            </p>
          )}
          <div class="row">
            <button class="main" disabled={busy || requests.length === 0}>
              {requests.length > 1 || (wanted.each && !listed)
                ? `Make ${count(requests.length)} links`
                : "Make the link"}
            </button>
            <button type="button" onClick={close}>
              Cancel
            </button>
          </div>
          {requests[0] && (
            <Curl
              what="make a link's token"
              operation="create_token"
              given={{}}
              body={requests[0]}
            />
          )}
        </form>
      )}
      <Failure error={error} />
    </>
  );
}

// The links that there are. Nothing where the reader may not see tokens.
function Links({ id, look }: { id: string; look: number }) {
  const [links, setLinks] = useState<Token[]>([]);
  const [sure, setSure] = useState("");
  const [error, setError] = useState<unknown>(null);
  const read = () =>
    ask("list_tokens", {}).then(
      ({ items }) =>
        setLinks(items.filter((one) => one.scope === "vote" && one.experiment_id === id)),
      () => setLinks([]),
    );
  useEffect(() => void read(), [look]);
  const revoke = async ({ token_id }: Token) => {
    if (sure !== token_id) return setSure(token_id);
    setSure("");
    try {
      await ask("delete_token", { tid: token_id });
      setError(null);
    } catch (caught) {
      setError(caught);
    }
    await read();
  };
  if (links.length === 0) return null;
  return (
    <>
      <ul class="plain links">
        {links.map((one) => (
          <li>
            <span>
              {one.name || one.token_id}{" "}
              <span class="small quiet">
                {one.member !== undefined
                  ? "this member"
                  : one.one_browser
                    ? one.used
                      ? "one browser, opened"
                      : "one browser, not opened yet"
                    : "everybody"}
                {one.expires_at && <> · ends {new Date(one.expires_at).toLocaleDateString()}</>}
              </span>
            </span>
            <button class="small" onClick={() => revoke(one)}>
              {sure === one.token_id ? "Revoke: sure?" : "Revoke"}
            </button>
          </li>
        ))}
      </ul>
      <Failure error={error} />
    </>
  );
}

// The links of an experiment, and the dialog that makes more.
export function Share({ id, name, panel, running }: ShareProps & { running: boolean }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [times, setTimes] = useState(0); // a fresh form each time
  const [isShown, setIsShown] = useState(false);
  const open = () => {
    setTimes(times + 1);
    setIsShown(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <p class="row">
        <button onClick={open}>Share</button>
        {running && !panel?.listed && (
          <a class="button" href={votingPath(id)}>
            Vote yourself
          </a>
        )}
      </p>
      {!running && <p class="small quiet">Nobody is asked while it does not run.</p>}
      <Links id={id} look={isShown ? -times : times} />
      <dialog
        ref={dialog}
        class="card share"
        aria-label={`Share ${name}`}
        onClose={() => setIsShown(false)}
      >
        {isShown && (
          <ShareForm
            key={times}
            id={id}
            name={name}
            panel={panel}
            close={() => dialog.current?.close()}
          />
        )}
      </dialog>
    </>
  );
}

// Server-sent events from the text of a `fetch`, which unlike EventSource can send a token.

export interface ServerEvent {
  id: string;
  kind: string;
  data: string;
}

// Takes pieces of text as they come, cut anywhere, and gives the events that are complete.
export class ServerEventReader {
  private rest = "";

  take(piece: string): ServerEvent[] {
    this.rest += piece;
    const events: ServerEvent[] = [];
    for (;;) {
      const end = this.rest.search(/\r?\n\r?\n/);
      if (end < 0) return events;
      const block = this.rest.slice(0, end);
      this.rest = this.rest.slice(end).replace(/^\r?\n\r?\n/, "");
      const event = { id: "", kind: "message", data: "" };
      let said = false;
      for (const line of block.split(/\r?\n/)) {
        const colon = line.indexOf(":");
        if (colon === 0) continue; // a comment, which keeps the connection alive
        const name = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
        if (name === "id") event.id = value;
        else if (name === "event") event.kind = value;
        else if (name === "data") event.data += (said ? "\n" : "") + value;
        if (name === "data") said = true;
      }
      if (said) events.push(event);
    }
  }
}

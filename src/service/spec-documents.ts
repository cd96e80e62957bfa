import { listDocument, mapDocument } from "../evaluation/spec-documents.js";
import { jsonAnswer, type WholeAnswer } from "../http/handler.js";
import type { KeyRecord } from "../storage/key-store.js";
import type { LiveCatalogue } from "./live-catalogue.js";

const makers = { list: listDocument, map: mapDocument } as const;

type DocumentForm = keyof typeof makers;

interface KeptDocument {
  readonly time: number;
  readonly answer: WholeAnswer;
}

/** The documents that SDKs poll, each made once after a change. */
export class SpecDocuments {
  readonly #kept = new Map<string, KeptDocument>();

  constructor(private readonly live: LiveCatalogue) {}

  /** Returns a document; `has_updates` is false if the SDK has it already. */
  async answer(
    form: DocumentForm,
    { targetApp }: Pick<KeyRecord, "targetApp">,
    sinceTime: string | number | undefined,
    known: string | undefined,
  ): Promise<WholeAnswer> {
    const { catalogue, time } = await this.live.current();
    if (Number(sinceTime ?? 0) >= time) return jsonAnswer({ has_updates: false });
    const name = JSON.stringify([form, targetApp]);
    let kept = this.#kept.get(name);
    if (kept?.time !== time) {
      const app = targetApp === null ? "" : `-${encodeURIComponent(targetApp)}`;
      const etag = `"${time}${app}"`;
      const text = makers[form](catalogue, { time, targetApp: targetApp ?? undefined });
      kept = { time, answer: jsonAnswer(text, { etag }) };
      this.#kept.set(name, kept);
    }
    const { answer } = kept;
    return known === answer.headers["etag"] ? { ...answer, status: 304, body: "" } : answer;
  }
}

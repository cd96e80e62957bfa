import { listDocument, mapDocument } from "../evaluation/spec-documents.js";
import { jsonAnswer, type WholeAnswer } from "./handler.js";
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
    sinceTime: string | undefined,
    known: string | undefined,
  ): Promise<WholeAnswer> {
    const { catalogue, time } = await this.live.current();
    if (Number(sinceTime ?? 0) >= time) return jsonAnswer({ has_updates: false });
    let kept = this.#kept.get(form);
    if (kept?.time !== time) {
      const etag = `"${time}"`;
      const text = makers[form](catalogue, { time, targetApp: undefined });
      kept = { time, answer: jsonAnswer(text, { etag }) };
      this.#kept.set(form, kept);
    }
    const { answer } = kept;
    return known === answer.headers["etag"] ? { ...answer, status: 304, body: "" } : answer;
  }
}

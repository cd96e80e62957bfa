import { useRef, useState } from "preact/hooks";
import type { PromptContent as Content } from "../../contract/prompt-content.js";
import { Badge, ErrorNotice } from "../../ui/feedback.js";
import { SelectField, TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { say } from "../../ui/toasts.js";
import { api } from "../api/client.js";
import type { Entity } from "../editing/kinds.js";
import { changes } from "../live.js";

type Message = NonNullable<Content["prompts"]>[number];

const roles = [
  { value: "system", label: "System" },
  { value: "user", label: "User" },
  { value: "assistant", label: "Assistant" },
] as const;

/** The messages of a prompt. Saving makes a new version, which can be published. */
export function PromptContent({ entity, isWriter }: { entity: Entity; isWriter: boolean }) {
  const stored = (entity["content"] ?? null) as Content | null;
  const published = (entity["published"] ?? null) as { readonly version: number } | null;
  const [edited, setEdited] = useState<Content>();
  // A save on top of a version that the user has not seen would replace its messages.
  const seen = useRef(entity.version);
  if (edited === undefined) seen.current = entity.version;
  const ifMatch = String(seen.current);
  const [error, setError] = useState<Error>();
  const content = edited ?? stored ?? { name: entity.name, prompts: [] };
  const messages = content.prompts ?? [];
  const set = (prompts: Message[]) => setEdited({ ...content, prompts });
  const act = async (text: string, call: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await call();
      setEdited(undefined);
      changes.value++;
      say(text);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const save = () =>
    act("The new content is saved.", () =>
      api.createPromptVersion({ id: entity.id, body: content, ifMatch }),
    );
  const publish = () =>
    act(`Version ${entity.version} is published.`, () =>
      api.publishPrompt({ id: entity.id, body: { version: entity.version }, ifMatch }),
    );
  return (
    <Section
      title={
        <>
          Messages{" "}
          {published !== null && (
            <Badge tone="good">Version {published.version} is published</Badge>
          )}
        </>
      }
    >
      {messages.map((message, index) => (
        <MessageForm
          key={index}
          message={message}
          number={index + 1}
          isWriter={isWriter}
          onChange={(changed) => set(messages.map((one, at) => (at === index ? changed : one)))}
          onRemove={() => set(messages.filter((_, at) => at !== index))}
        />
      ))}
      <TextField
        label="Model"
        value={content.model ?? ""}
        disabled={!isWriter}
        onInput={(model) => setEdited({ ...content, model })}
      />
      {edited !== undefined && entity.version !== seen.current && (
        <p class="warning" role="alert">
          {entity.lastModifierName ?? "Somebody"} has changed it meanwhile.{" "}
          <button type="button" class="link" onClick={() => setEdited(undefined)}>
            Discard mine and show theirs
          </button>
        </p>
      )}
      {error !== undefined && <ErrorNotice error={error} />}
      {isWriter && (
        <div class="buttons">
          <button
            type="button"
            class="quiet"
            onClick={() => set([...messages, { role: "user", content: "" }])}
          >
            Add a message
          </button>
          <button
            type="button"
            class="primary"
            disabled={edited === undefined}
            onClick={() => void save()}
          >
            Save as a new version
          </button>
          {stored !== null && edited === undefined && published?.version !== entity.version && (
            <button type="button" class="quiet" onClick={() => void publish()}>
              Publish version {entity.version}
            </button>
          )}
        </div>
      )}
    </Section>
  );
}

interface MessageFormProps {
  readonly message: Message;
  /** 1 for the first. */
  readonly number: number;
  readonly isWriter: boolean;
  readonly onChange: (message: Message) => void;
  readonly onRemove: () => void;
}

function MessageForm({ message, number, isWriter, onChange, onRemove }: MessageFormProps) {
  return (
    <fieldset class="rule">
      <legend class="visually-hidden">Message {number}</legend>
      <SelectField
        label="Speaker"
        value={message.role}
        choices={roles}
        disabled={!isWriter}
        onInput={(role) => onChange({ ...message, role: role as Message["role"] })}
      />
      <TextField
        label="Text"
        rows={6}
        value={message.content}
        disabled={!isWriter}
        onInput={(content) => onChange({ ...message, content })}
      />
      {isWriter && (
        <div class="rule-tools">
          <button type="button" class="quiet danger" onClick={onRemove}>
            Remove<span class="visually-hidden"> message {number}</span>
          </button>
        </div>
      )}
    </fieldset>
  );
}

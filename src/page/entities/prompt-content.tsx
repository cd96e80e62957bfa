import { useState } from "preact/hooks";
import type { PromptContent as Content } from "../../contract/prompt-content.js";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { Badge, ErrorNotice, UnsavedNotice } from "../../ui/feedback.js";
import { SelectField, TextField } from "../../ui/fields.js";
import { Section } from "../../ui/section.js";
import { say } from "../../ui/toasts.js";
import { api } from "../api/client.js";
import { type Draft, faultOf } from "../editing/draft.js";
import { contentChanges } from "../editing/edit-changes.js";
import type { Entity } from "../editing/kinds.js";
import { changes } from "../live.js";
import { ChangeList } from "./audit-table.js";

type Message = NonNullable<Content["prompts"]>[number];

const roles = [
  { value: "system", label: "System" },
  { value: "user", label: "User" },
  { value: "assistant", label: "Assistant" },
] as const;

interface PromptContentProps {
  readonly draft: Draft;
  readonly isWriter: boolean;
}

/** The messages of a prompt. Saving makes a new version, which can be published. */
export function PromptContent({ draft, isWriter }: PromptContentProps) {
  const { entity, stored, faults } = draft;
  const [isPublishing, setIsPublishing] = useState(false);
  const published = publishedOf(stored);
  const content = (entity["content"] ?? { name: entity.name }) as Content;
  const { prompts: messages = [], model = "", name: _, description: __, ...settings } = content;
  const set = (fields: Partial<Content>) => draft.edit({ content: { ...content, ...fields } });
  const isPublished =
    JSON.stringify(stored["content"] ?? null) === JSON.stringify(published?.content ?? null);
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
          fault={faultOf(faults, `prompts[${index}]`, true)}
          isWriter={isWriter}
          onChange={(changed) =>
            set({ prompts: messages.map((one, at) => (at === index ? changed : one)) })
          }
          onRemove={() => set({ prompts: messages.filter((_, at) => at !== index) })}
        />
      ))}
      <TextField
        label="Model"
        value={model}
        fault={faultOf(faults, "model")}
        disabled={!isWriter}
        onInput={(text) => set({ model: text })}
      />
      {Object.keys(settings).length > 0 && (
        <p class="soft">
          Set by the API, and kept:{" "}
          {Object.entries(settings)
            .map(([setting, value]) => `${setting.replaceAll("_", " ")} ${value}`)
            .join(", ")}
        </p>
      )}
      {isWriter && (
        <div class="buttons">
          <button
            type="button"
            class="quiet"
            onClick={() => set({ prompts: [...messages, { role: "user", content: "" }] })}
          >
            Add a message
          </button>
          {!isPublished && (
            <button type="button" class="quiet" onClick={() => setIsPublishing(true)}>
              Publish version {stored.version}
            </button>
          )}
        </div>
      )}
      {isPublishing && (
        <PublishDialog
          prompt={stored}
          isEdited={draft.isEdited}
          onClose={() => setIsPublishing(false)}
        />
      )}
    </Section>
  );
}

function publishedOf(prompt: Entity) {
  return (prompt["published"] ?? null) as {
    readonly version: number;
    readonly content: Content;
  } | null;
}

interface PublishDialogProps {
  readonly prompt: Entity;
  /** True if there are edits that are not saved. */
  readonly isEdited: boolean;
  readonly onClose: () => void;
}

/** Shows what applications get after a version is published, before it is. */
function PublishDialog({ prompt, isEdited, onClose }: PublishDialogProps) {
  const [error, setError] = useState<Error>();
  const { id, version } = prompt;
  const publish = async () => {
    try {
      await api.publishPrompt({ id, body: { version }, ifMatch: String(version) });
      changes.value++;
      say(`Version ${version} is published.`);
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Dialog title={`Publish version ${version}?`} onClose={onClose}>
      <p>Applications get this at once:</p>
      <ChangeList
        changes={contentChanges(publishedOf(prompt)?.content, prompt["content"] as Content)}
      />
      {isEdited && <UnsavedNotice />}
      {error !== undefined && <ErrorNotice error={error} />}
      <DialogButtons action="Publish" disabled={isEdited} onAct={publish} onClose={onClose} />
    </Dialog>
  );
}

interface MessageFormProps {
  readonly message: Message;
  /** 1 for the first. */
  readonly number: number;
  readonly fault: string | undefined;
  readonly isWriter: boolean;
  readonly onChange: (message: Message) => void;
  readonly onRemove: () => void;
}

function MessageForm({ message, number, fault, isWriter, onChange, onRemove }: MessageFormProps) {
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
        fault={fault}
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

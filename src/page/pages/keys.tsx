import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { DAY_MS } from "../../base/day.js";
import { Dialog, DialogButtons } from "../../ui/dialog.js";
import { Badge, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { ListField, SelectField, TextField } from "../../ui/fields.js";
import { Pager, pageOf } from "../../ui/pager.js";
import { Time } from "../../ui/time.js";
import { say } from "../../ui/toasts.js";
import { useLoad } from "../../ui/use-load.js";
import { ApiError, api } from "../api/client.js";
import { mayWrite } from "../session.js";

type Key = Awaited<ReturnType<typeof api.listKeys>>["data"][number];

const kindNames = {
  console: "Console key",
  server: "Server secret",
  client: "Client key",
} as const;

const KEYS_PER_PAGE = 100;

/** The keys of the service: made, looked after, revoked. */
export function Keys() {
  const page = pageOf(useLocation().query);
  const [isCreating, setIsCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const { value, error, reload } = useLoad(`keys ${page}`, (signal) =>
    api.listKeys({ page, limit: KEYS_PER_PAGE, signal }),
  );
  const isWriter = mayWrite("keys");
  return (
    <>
      <header class="page-head">
        <h1>Keys</h1>
        {isWriter && (
          <button type="button" class="primary" onClick={() => setIsCreating(true)}>
            New key
          </button>
        )}
      </header>
      {error !== undefined && <ErrorNotice error={error} retry={reload} />}
      {value === undefined && error === undefined && <Skeleton lines={6} />}
      {value !== undefined && (
        <div class="table-frame">
          <table>
            <thead>
              <tr>
                {["Name", "Kind", "Rights", "State", "Last use", ""].map((head) => (
                  <th scope="col" key={head}>
                    {head === "" ? <span class="visually-hidden">Actions</span> : head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.data.map((key) => (
                <KeyRow key={key.id} record={key} onRevoke={isWriter ? setRevoked : undefined} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {value !== undefined && value.pagination.totalItems > KEYS_PER_PAGE && (
        <Pager
          page={page}
          itemsPerPage={KEYS_PER_PAGE}
          total={value.pagination.totalItems}
          noun="keys"
          hrefOf={(to) => `/keys?page=${to}`}
        />
      )}
      {isCreating && (
        <CreateKey
          onClose={() => {
            setIsCreating(false);
            reload();
          }}
        />
      )}
      {revoked !== undefined && (
        <RevokeKey
          record={revoked}
          onClose={() => {
            setRevoked(undefined);
            reload();
          }}
        />
      )}
    </>
  );
}

function KeyRow({
  record,
  onRevoke,
}: {
  record: Key;
  onRevoke?: ((key: Key) => void) | undefined;
}) {
  const { name, owner, prefix, kind, scopes, lastUsedTime, revokedTime } = record;
  return (
    <tr>
      <th scope="row">
        {name} <code class="soft">{prefix}…</code>
        {owner !== null && <small>{owner}</small>}
      </th>
      <td>{kindNames[kind]}</td>
      <td class="soft">{kind === "console" ? scopes.join(", ") : "events and evaluation"}</td>
      <td>
        <KeyState record={record} />
      </td>
      <td class="soft">{lastUsedTime === null ? "never" : <Time at={lastUsedTime} />}</td>
      <td>
        {onRevoke !== undefined && revokedTime === null && (
          <button
            type="button"
            class="quiet danger"
            aria-label={`Revoke ${name} ${prefix}`}
            onClick={() => onRevoke(record)}
          >
            Revoke
          </button>
        )}
      </td>
    </tr>
  );
}

function KeyState({ record: { revokedTime, expiresTime, status } }: { record: Key }) {
  if (revokedTime !== null) return <Badge tone="error">Revoked</Badge>;
  if (status === "deactivated") return <Badge tone="error">Expired</Badge>;
  if (expiresTime === null) return <Badge tone="good">Valid</Badge>;
  return (
    <>
      <Badge tone="good">Valid</Badge>{" "}
      <small>
        ends <Time at={expiresTime} />
      </small>
    </>
  );
}

const expiries = [
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "1", label: "Tomorrow" },
  { value: "", label: "Never" },
] as const;

const rights = [
  { value: "write", label: "Read and change everything" },
  { value: "read", label: "Read everything" },
  { value: "some", label: "Some parts only" },
] as const;

function CreateKey({ onClose }: { onClose: () => void }) {
  const [kind, setKind] = useState<string>("console");
  const [name, setName] = useState("");
  const [owner, setOwner] = useState("");
  const [right, setRight] = useState<string>("read");
  const [scopes, setScopes] = useState<string[]>([]);
  const [days, setDays] = useState<string>("90");
  const [error, setError] = useState<Error>();
  const [made, setMade] = useState<string>();
  const faultOf = (property: string) =>
    error instanceof ApiError
      ? error.errors.find((fault) => fault.property.startsWith(property))?.errorMessage
      : undefined;
  const create = async (event: Event) => {
    event.preventDefault();
    const body = {
      kind,
      name,
      ...(owner !== "" && { owner }),
      ...(kind === "console" && { scopes: right === "some" ? scopes : [right] }),
      ...(days !== "" && { expiresTime: Date.now() + Number(days) * DAY_MS }),
    };
    try {
      const { data } = await api.createKey({ body: body as never });
      setMade(data.key ?? undefined);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  if (made !== undefined) return <MadeKey text={made} onClose={onClose} />;
  return (
    <Dialog title="New key" onClose={onClose}>
      <form onSubmit={create}>
        <SelectField
          label="Kind"
          value={kind}
          choices={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
          onInput={setKind}
          hint="A console key opens this console. Servers need a server secret, browsers and apps a client key."
        />
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          required
          fault={faultOf("name")}
          hint="Changes that are made with it carry this name."
        />
        <TextField
          label="Owner"
          value={owner}
          onInput={setOwner}
          fault={faultOf("owner")}
          hint="A person or a team that answers for it."
        />
        {kind === "console" && (
          <SelectField label="Rights" value={right} choices={rights} onInput={setRight} />
        )}
        {kind === "console" && right === "some" && (
          <ListField
            label="Scopes"
            values={scopes}
            onInput={setScopes}
            fault={faultOf("scopes")}
            hint="For example gates:write or experiments:read."
          />
        )}
        <SelectField
          label="Expires"
          value={days}
          choices={expiries}
          onInput={setDays}
          fault={faultOf("expires")}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <DialogButtons action="Create" onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** The only time that the key is shown. */
function MadeKey({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <Dialog title="Copy the key now" onClose={onClose}>
      <p>It is shown only once: the service stores its hash.</p>
      <pre class="secret">{text}</pre>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          onClick={async () => {
            await navigator.clipboard.writeText(text);
            say("The key is copied.");
          }}
        >
          Copy
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}

function RevokeKey({ record, onClose }: { record: Key; onClose: () => void }) {
  const [error, setError] = useState<Error>();
  const { id, name, prefix } = record;
  const revoke = async () => {
    try {
      await api.revokeKey({ id });
      say(`The key ${name} is revoked.`);
      onClose();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Dialog title={`Revoke ${name}?`} onClose={onClose}>
      <p>
        Requests with the key that begins with <code>{prefix}</code> are refused from now on, and
        its sessions end. This cannot be undone.
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <DialogButtons action="Revoke" isDanger onAct={revoke} onClose={onClose} />
    </Dialog>
  );
}

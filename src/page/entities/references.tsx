import { Empty, ErrorNotice, Skeleton } from "../../ui/feedback.js";
import { Section } from "../../ui/section.js";
import { useLoad } from "../../ui/use-load.js";
import { api } from "../api/client.js";
import { type Kind, kinds } from "../editing/kinds.js";

interface Referrer {
  readonly id?: string;
  readonly name?: string;
  readonly entityType: string;
}

const REFERRERS_SHOWN_MAX = 200;

/** The entities that name a gate or a segment. */
export function References({ kind, id }: { kind: Kind; id: string }) {
  const { value, error, reload } = useLoad(`${kind.root} ${id}`, async (signal) => {
    const list = kind.root === "gates" ? api.listGateReferences : api.listSegmentReferences;
    const { data, pagination } = await list({ id, limit: REFERRERS_SHOWN_MAX, signal });
    return { data: data as readonly Referrer[], total: pagination.totalItems };
  });
  if (error !== undefined) return <ErrorNotice error={error} retry={reload} />;
  if (value === undefined) return <Skeleton lines={4} />;
  if (value.data.length === 0) return <Empty title={`Nothing uses this ${kind.noun}`} />;
  return (
    <Section title="Used by">
      <ul class="changes">
        {value.data.map(({ id: one = "", name = one, entityType }) => {
          const root = Object.values(kinds).find(({ type }) => type === entityType)?.root;
          return (
            <li key={`${entityType} ${one}`}>
              {root === undefined ? (
                name
              ) : (
                <a href={`/${root}/${encodeURIComponent(one)}`}>{name}</a>
              )}{" "}
              <span class="soft">{entityType.replaceAll("_", " ")}</span>
            </li>
          );
        })}
      </ul>
      {value.total > value.data.length && (
        <p class="soft">{value.total - value.data.length} more</p>
      )}
    </Section>
  );
}

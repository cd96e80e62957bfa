import { ACTOR_NAME, type Stamp } from "./entity-operations.js";

/** What the service writes on a new entity of any kind. */
export function newProvenance({ caller, time }: Stamp) {
  const who = { ID: caller.id, name: ACTOR_NAME };
  return {
    creatorID: who.ID,
    creatorName: who.name as string | null,
    creatorEmail: null as string | null,
    createdTime: time,
    lastModifierID: who.ID,
    lastModifierName: who.name,
    lastModifierEmail: null,
    lastModifiedTime: time,
    version: 1,
    owner: {
      ownerID: who.ID,
      ownerType: "SDK_KEY",
      ownerName: who.name,
      ownerEmail: "",
    },
  };
}

/** To be spread first, so that id and name lead in answers; both are given their values later. */
export const identityFirst = { id: "", name: "" };

import type { AnyObject } from "../contract/fields.js";
import { inAnyCase, objectOf, own, unitIDOf } from "../contract/unit-id.js";
import { countryOf } from "./ip-country.js";
import { agentValue } from "./user-agent.js";

/** Characters of a user agent that is parsed. SDKs do not parse longer ones. */
const AGENT_CHARACTERS_MAX = 1_000;

/**
 * A user to evaluate for, with the fields that SDKs send: `userID`, `email`, `ip`, `userAgent`, `country`,
 * `locale`, `appVersion`, `custom`, `privateAttributes`, `customIDs`, `statsigEnvironment`.
 */
export class EvaluationUser {
  readonly #custom: AnyObject;
  readonly #private: AnyObject;
  readonly #environment: AnyObject;

  constructor(
    private readonly fields: AnyObject,
    /** Stands for every id that the user does not have. */
    private readonly anyID?: string,
  ) {
    this.#custom = objectOf(fields["custom"]);
    this.#private = objectOf(fields["privateAttributes"]);
    this.#environment = objectOf(fields["statsigEnvironment"]);
  }

  /** Returns the id of a type, or undefined. */
  unitID(idType: string): string | undefined {
    return unitIDOf(this.fields, idType) ?? this.anyID;
  }

  /** Returns the value of a field, in the order of SDKs; undefined for null and without a value. */
  field(name: string): unknown {
    const lower = name.toLowerCase();
    for (const holder of [this.fields, this.#custom, this.#private]) {
      const value = own(holder, name) ?? own(holder, lower);
      if (value !== undefined) return value;
    }
    return name === "userID" ? this.anyID : undefined;
  }

  environment(name: string): unknown {
    return inAnyCase(this.#environment, name);
  }

  /** Returns a field of the device: the user's own, else the one that the user agent tells. */
  agentField(name: string): unknown {
    const given = this.field(name);
    if (given !== undefined) return given;
    const agent = this.field("userAgent");
    if (typeof agent !== "string" || agent.length > AGENT_CHARACTERS_MAX) return undefined;
    return agentValue(agent, name);
  }

  /** Returns the user's country, else the country of the IP address. */
  country(): unknown {
    const given = this.field("country");
    if (given !== undefined) return given;
    const ip = this.field("ip");
    return typeof ip === "string" ? countryOf(ip) : undefined;
  }
}

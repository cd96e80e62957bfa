const path = {
  description:
    "Where a value stands in a row: names joined by dots (`context.traits.plan`), or a list of names where one of them contains a dot.",
  anyOf: [
    { type: "string" },
    { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
  ],
} as const;

const textChoice = {
  anyOf: [
    { type: "string", minLength: 1, description: "A path with dots." },
    {
      type: "object",
      properties: {
        field: path,
        unlessPrefix: {
          type: "string",
          minLength: 1,
          description: "A text that begins like this counts as null.",
        },
        unless: {
          type: "array",
          items: { type: "string", minLength: 1 },
          minItems: 1,
          description: "A text or a number that is one of these counts as null.",
        },
        unlessSameAs: {
          ...path,
          description:
            "A path, as `field` is: text, or a number, that is also the one of this field counts as null.",
        },
      },
      required: ["field"],
      additionalProperties: false,
    },
  ],
} as const;

const plainChoice = {
  anyOf: [
    { type: "string", minLength: 1, description: "A path with dots." },
    {
      type: "object",
      properties: { field: path },
      required: ["field"],
      additionalProperties: false,
    },
  ],
} as const;

const timeChoice = {
  anyOf: [
    { type: "string", minLength: 1, description: "A path with dots; format auto, zone UTC." },
    {
      type: "object",
      properties: {
        field: path,
        format: {
          type: "string",
          format: "time-format",
          minLength: 1,
          default: "auto",
          description:
            "`auto`: ISO 8601 with T or a space, or an epoch whose unit goes by its size. `s`, `ms`, `us`, `ns`: an epoch in that unit. Anything else is a pattern of Luxon's tokens, e.g. `EEE, dd LLL yyyy HH:mm:ss ZZZ`.",
        },
        zone: {
          type: "string",
          format: "zone",
          minLength: 1,
          default: "UTC",
          description:
            "The zone of times that name none: an IANA name (`America/New_York`), `UTC` or an offset (`+05:30`).",
        },
        shifted: {
          type: "boolean",
          default: false,
          description:
            "Epochs count the zone's wall clock instead of UTC, as Mixpanel's do in projects made before 2023.",
        },
      },
      required: ["field"],
      additionalProperties: false,
    },
  ],
} as const;

const pairValue = {
  anyOf: [
    { type: "string", minLength: 1, description: "A path with dots." },
    {
      type: "object",
      properties: {
        field: path,
        as: {
          const: "number",
          description: 'Text that is a JSON number (`"123"`) becomes that number.',
        },
      },
      required: ["field"],
      additionalProperties: false,
    },
  ],
} as const;

const oneOrMoreOf = <T>(choice: T, what: string) => ({
  description: `${what} Of a list the first that is not null.`,
  anyOf: [choice, { type: "array", items: choice, minItems: 1 }],
});

const pairs = {
  type: "object",
  description:
    'An object made of a list of key and value, as GA4 has them: `{ "pairs": "event_params", "key": "key", "value": ["value.string_value", "value.int_value"] }`. Of repeated keys the last counts.',
  properties: {
    pairs: oneOrMoreOf(plainChoice, "Where the list stands."),
    key: oneOrMoreOf(plainChoice, "Within an element of the list: the member's name."),
    value: oneOrMoreOf(pairValue, "Within an element of the list: the member's value."),
  },
  required: ["pairs", "key", "value"],
  additionalProperties: false,
} as const;

const patterns = (what: string) => ({
  type: "array",
  items: { type: "string" },
  minItems: 1,
  description: `${what} \`*\` is any text, \`?\` any character.`,
});

const rowFilter = {
  description:
    "Which rows are events, by the text of one field, such as a call's type. The others are counted as filtered, and are no rejects.",
  anyOf: [
    {
      type: "object",
      properties: {
        field: path,
        include: patterns("Rows whose text is none of these are left out; nothing is no text."),
        exclude: patterns(
          "Rows whose text is one of these are left out, also where it is included.",
        ),
      },
      required: ["field"],
      minProperties: 2,
      additionalProperties: false,
    },
    { type: "null" },
  ],
} as const;

const oneOrMore = <T>(choice: T, what: string) => ({
  description: `${what} A list is tried in order: the first that is not null is taken.`,
  anyOf: [choice, { type: "array", items: choice, minItems: 1 }, { type: "null" }],
});

const objectOf = (what: string) => ({
  description: `${what} An object, a JSON text of one, a list of fields, the rest of an object, or a list of key and value.`,
  anyOf: [
    plainChoice,
    { type: "array", items: plainChoice, minItems: 1 },
    {
      type: "object",
      description: "An object made of these fields; those that are null are left out.",
      properties: {
        fields: {
          type: "array",
          minItems: 1,
          items: {
            anyOf: [
              { type: "string", minLength: 1 },
              {
                type: "object",
                properties: {
                  field: path,
                  name: { type: "string", description: "Default: the path's last name." },
                },
                required: ["field"],
                additionalProperties: false,
              },
            ],
          },
        },
      },
      required: ["fields"],
      additionalProperties: false,
    },
    {
      type: "object",
      description:
        "What is left of the object at this path (empty: of the row) without the members that other targets use.",
      properties: {
        rest: {
          anyOf: [{ type: "string" }, { type: "array", items: { type: "string", minLength: 1 } }],
        },
        except: {
          type: "array",
          items: { type: "string" },
          description: "Names of further members to leave out.",
        },
      },
      required: ["rest"],
      additionalProperties: false,
    },
    pairs,
    { type: "null" },
  ],
});

/**
 * JSON Schema 2020-12 of `Mapping`: of the files in presets/ and of the `mapping` part of a
 * configuration. Has no `$id` and no `$ref`, so that it can stand inside another schema.
 */
export const mappingSchema = {
  title: "Mapping",
  description: "Which fields of a row make the event. What is left out comes from the preset.",
  type: "object",
  properties: {
    description: { type: "string", description: "For readers." },
    event: oneOrMore(textChoice, "The event's name: text."),
    timestamp: oneOrMore(timeChoice, "When it happened."),
    userID: oneOrMore(textChoice, "The user's id: text or a number."),
    stableID: oneOrMore(textChoice, "The device's id: text or a number."),
    value: oneOrMore(plainChoice, "The event's value: text or a number."),
    metadata: objectOf("The event's properties."),
    user: objectOf("The user's properties; the ids are put before them."),
    insertID: oneOrMore(textChoice, "What tells a repeated event from another one."),
    filter: rowFilter,
  },
  additionalProperties: false,
} as const;

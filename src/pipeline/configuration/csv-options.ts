import { SKIP_LINES_MAX } from "../../base/limits.js";
import { csvDialectNames } from "../../readers/csv-dialects.js";
import * as type from "./option-types.js";

const detected = "detected for each input";

/** Options of the dialect of CSV inputs; part of `optionTable`. */
export const csvOptions = {
  csvDialect: {
    type: type.choice(csvDialectNames),
    description:
      "Dialect of CSV inputs, by the program that wrote them; the next options change it",
    otherwise: detected,
  },
  csvDelimiter: {
    type: type.character,
    description: "Character between the cells of CSV inputs; also by name: tab, comma, pipe",
    otherwise: detected,
  },
  csvQuote: {
    type: type.characterOrNone,
    description: "Character around cells of CSV inputs; none if quotes have no meaning",
    otherwise: detected,
  },
  csvNull: {
    type: type.list,
    placeholder: "<text>",
    description:
      "Text that means null in a cell of CSV inputs, besides no text and the unquoted \\N",
  },
  csvComment: {
    type: type.character,
    description: "Skip lines of CSV inputs that begin with this character",
  },
  csvSkipLines: {
    type: type.count(0, SKIP_LINES_MAX),
    placeholder: "<count>",
    description: "Skip this many lines at the start of each CSV input",
    otherwise: detected,
  },
  csvColumns: {
    type: type.columnNames,
    description: "Names of the columns of CSV inputs, in order, separated by commas",
    otherwise: "the header",
  },
  csvHeader: {
    type: type.onOff,
    negation: "The first record of each CSV input is a row like the others",
    description: "The first record of each CSV input is its header",
    otherwise: detected,
  },
} satisfies Readonly<Record<string, type.OptionRow>>;

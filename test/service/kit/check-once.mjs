// Checks the question that is its argument, prints the faults, and does not close the checker.
import { IsolatedSchemaChecker } from "../../../src/service/isolated-schema-checker.js";

const checker = new IsolatedSchemaChecker();
console.log(JSON.stringify(await checker.check(JSON.parse(process.argv[2]))));

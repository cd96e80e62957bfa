// The dry run of mixpanel-import, as its README has it, in a process of its own: node
// mixpanel-dry-run.mjs <main file of the package> <file of rows>. It sends nothing and needs no network.
const [main, file] = process.argv.slice(2);
const { default: importer } = await import(main);
const options = { recordType: "event", vendor: "amplitude", streamFormat: "jsonl", dryRun: true };
const { total } = await importer({}, file, { ...options, verbose: false, showProgress: false });
console.log(JSON.stringify({ rows: total }));

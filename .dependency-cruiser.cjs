// The rooms of src/ and what each may import. A new edge is a decision: change it here, on purpose.
const rooms = {
  base: [],
  batch: ["base"],
  readers: ["base", "batch"],
  mapper: ["base", "batch"],
  profile: ["base", "batch"],
  sinks: ["base", "batch", "profile"],
  survey: ["base", "batch", "readers", "mapper"],
  pipeline: ["base", "batch", "readers", "mapper", "sinks", "profile"],
  report: ["base", "pipeline", "profile"],
  contract: ["base"],
  console: ["base", "contract"],
  storage: ["base", "contract"],
  service: ["base", "contract", "storage"],
  engine: [
    "base",
    "batch",
    "readers",
    "mapper",
    "sinks",
    "profile",
    "survey",
    "pipeline",
    "report",
  ],
  cli: [
    ...["base", "mapper", "readers", "profile", "pipeline", "report", "engine"],
    ...["contract", "console", "storage", "service", "survey"],
  ],
};

module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-orphans",
      severity: "error",
      from: { orphan: true, path: "^src/", pathNot: "\\.d\\.ts$" },
      to: {},
    },
    ...Object.entries(rooms).map(([room, allowed]) => ({
      name: `${room}-imports-only-${allowed.join("-") || "nothing"}`,
      severity: "error",
      from: { path: `^src/${room}/` },
      to: { path: "^src/", pathNot: [room, ...allowed].map((name) => `^src/${name}/`) },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/kernels/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};

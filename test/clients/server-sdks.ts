import type { AnyObject } from "../../src/contract/fields.js";
import { load } from "./packages.js";
import type { AskSdk } from "./served-world.js";

/** An official SDK that evaluates by itself. */
export interface ServerSdk {
  readonly ask: AskSdk;
  /** Polls now, if the SDK can be told to. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface SdkAddress {
  /** Without a path. */
  readonly base: string;
  readonly secret: string;
}

/** The parts of statsig-node that the tests call. */
interface NodeServer {
  initializeAsync(): Promise<unknown>;
  syncStoreSpecs(): Promise<void>;
  syncStoreIdLists(): Promise<void>;
  shutdownAsync(): Promise<void>;
  getFeatureGateWithExposureLoggingDisabledSync(
    user: AnyObject,
    id: string,
  ): { readonly value: boolean; readonly ruleID: string };
  getConfigWithExposureLoggingDisabledSync(user: AnyObject, id: string): NodeValue;
  getLayerWithExposureLoggingDisabledSync(user: AnyObject, id: string): NodeValue;
}

interface NodeValue {
  readonly value: unknown;
  /** Of layers. */
  readonly _value?: unknown;
  getRuleID(): string;
}

/** statsig-node: documents of lists, JavaScript. */
export async function startNodeSdk({ base, secret }: SdkAddress): Promise<ServerSdk> {
  const { default: Server } = load<{
    default: new (secret: string, options: object) => NodeServer;
  }>("statsig-node/dist/StatsigServer.js");
  const sdk = new Server(secret, { api: `${base}/v1`, disableDiagnostics: true });
  await sdk.initializeAsync();
  return {
    ask(part, user, id) {
      if (part === "gate") return sdk.getFeatureGateWithExposureLoggingDisabledSync(user, id);
      const found =
        part === "config"
          ? sdk.getConfigWithExposureLoggingDisabledSync(user, id)
          : sdk.getLayerWithExposureLoggingDisabledSync(user, id);
      return { value: found._value ?? found.value, ruleID: found.getRuleID() };
    },
    async sync() {
      await sdk.syncStoreSpecs();
      await sdk.syncStoreIdLists();
    },
    close: () => sdk.shutdownAsync(),
  };
}

/** The parts of the binding that the tests call. */
interface CoreServer {
  initialize(): Promise<unknown>;
  shutdown(): Promise<unknown>;
  getFeatureGate(user: object, id: string, options: object): CoreValue;
  getDynamicConfig(user: object, id: string, options: object): CoreValue;
  getLayer(user: object, id: string, options: object): CoreValue;
}

interface CoreValue {
  readonly value: unknown;
  /** Of layers. */
  readonly __value?: unknown;
  readonly ruleID: string;
}

/** The binding of the Rust core: documents of maps. It polls often. */
export async function startCoreSdk({ base, secret }: SdkAddress): Promise<ServerSdk> {
  const { Statsig, StatsigUser } = load<{
    Statsig: new (secret: string, options: object) => CoreServer;
    StatsigUser: new (user: AnyObject) => { statsigEnvironment?: unknown };
  }>("@statsig/statsig-node-core");
  const sdk = new Statsig(secret, {
    specsUrl: `${base}/v2/download_config_specs`,
    idListsUrl: `${base}/v1/get_id_lists`,
    logEventUrl: `${base}/v1/log_event`,
    enableIdLists: true,
    specsSyncIntervalMs: 1_000,
    idListsSyncIntervalMs: 1_000,
    outputLogLevel: "none",
  });
  await sdk.initialize();
  const quiet = { disableExposureLogging: true };
  return {
    ask(part, fields, id) {
      const user = new StatsigUser({ customIDs: {}, ...fields });
      // The SDK has one environment for all users; a user may have another one.
      if (fields["statsigEnvironment"]) user.statsigEnvironment = fields["statsigEnvironment"];
      if (part === "gate") return sdk.getFeatureGate(user, id, quiet);
      if (part === "config") return sdk.getDynamicConfig(user, id, quiet);
      const { value, __value = value, ruleID } = sdk.getLayer(user, id, quiet);
      return { value: __value, ruleID };
    },
    sync: async () => undefined,
    async close() {
      await sdk.shutdown();
    },
  };
}

import type { Vendor } from "./vendor.js";
import { amplitude, amplitudeOrigins } from "./vendors/amplitude.js";
import { mixpanel, mixpanelOrigins } from "./vendors/mixpanel.js";
import { posthog, posthogOrigins } from "./vendors/posthog.js";

/** A vendor and the place of a project in it, already checked. */
interface VendorChoice {
  readonly vendor: "amplitude" | "mixpanel" | "posthog";
  readonly region: string;
  /** Base URL instead of that of the region. */
  readonly host?: string;
  readonly project: string;
  /** By the name of their variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** Returns the vendor of a choice. */
export function createVendor({ vendor, region, host, project, secrets }: VendorChoice): Vendor {
  const secretOf = (name: string) => secrets[name] ?? missing(name);
  const originOf = (origins: Readonly<Record<string, string>>) =>
    host ?? origins[region] ?? missing(region);
  switch (vendor) {
    case "amplitude":
      return amplitude({
        apiKey: secretOf("AMPLITUDE_API_KEY"),
        secretKey: secretOf("AMPLITUDE_SECRET_KEY"),
        origin: originOf(amplitudeOrigins),
      });
    case "mixpanel":
      return mixpanel({
        username: secretOf("MIXPANEL_USERNAME"),
        secret: secretOf("MIXPANEL_SECRET"),
        project,
        region,
        origin: originOf(mixpanelOrigins),
      });
    case "posthog":
      return posthog({
        key: secretOf("POSTHOG_PERSONAL_API_KEY"),
        project,
        origin: originOf(posthogOrigins),
      });
  }
}

/** Options that were checked have it. */
function missing(name: string): never {
  throw new Error(`${name} is missing`);
}

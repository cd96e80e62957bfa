/** Who makes a write, for the audit log. */
export interface Author {
  /** Empty for a command. */
  readonly keyID: string;
  readonly keyName: string;
  readonly requestID: string;
}

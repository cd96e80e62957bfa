export interface InflateKernels extends InflateStreamKernels, ChecksumKernels {}

/** `stream` is the address of a stream as `Inflater` lays it out. */
interface InflateStreamKernels {
  inflate(stream: number): number;
}

/** `checksum` is the address of a checksum as `Checksum` lays it out. */
interface ChecksumKernels {
  beginChecksum(checksum: number): void;
  addToChecksum(checksum: number, source: number, bytes: number): void;
  endChecksum(checksum: number, target: number): void;
}

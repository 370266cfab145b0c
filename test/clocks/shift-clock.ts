// Loaded into a server before anything else: its clock differs by a number of milliseconds.
const shiftMs = Number(process.env.CLOCK_SHIFT)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given: unknown[]) {
    // The constructor of Date has several forms; none of them is ours to check.
    super(...((given.length === 0 ? [RealDate.now() + shiftMs] : given) as [number]))
  }
  static override now(): number {
    return RealDate.now() + shiftMs
  }
} as DateConstructor // a class cannot be called without `new`, which servers do not do

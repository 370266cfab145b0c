/**
 * About eleven days, in seconds: databases and timers take at most 2^31 milliseconds, and some limits are 1.5 times a
 * configured one.
 */
export const maxTimeLimitSeconds = 1_000_000

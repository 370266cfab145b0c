/** A stored time as a Date; null stays null. */
export function toDate(milliseconds: number | null): Date | null {
  return milliseconds === null ? null : new Date(milliseconds)
}

import type { Hooks } from './hook-runner.ts'

/** The services that this room needs. */
export type HooksServices = { hooks: Hooks }

/** The web console for operators and for the customers who own an account. @module */

export { type ConsoleRoutesOptions, consoleRoutes } from './server/console-routes.ts'

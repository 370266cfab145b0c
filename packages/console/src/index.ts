/** The console: a page for those who run Clientele and for those whose users it keeps. @module */

export { type ConsoleRoutesOptions, consoleRoutes } from './server/console-routes.ts'

/** Clientele's routes for `node:http`. @module */

export {
  type ClienteleListener,
  clienteleListener,
  type ListenerOptions,
} from './http/node/clientele-listener.ts'
export { sendProblem, sendResponse } from './http/node/send-response.ts'
export { takeTurns } from './http/node/take-turns.ts'

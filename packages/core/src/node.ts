/** Clientele's routes for `node:http`. @module */

export { takeTurns } from './http/node/take-turns.ts'
export {
  type ClienteleListener,
  clienteleListener,
  type ListenerOptions,
} from './mount/node/clientele-listener.ts'
export { sendProblem, sendResponse } from './mount/node/send-response.ts'
export { type HostRequest, toHttpRequest } from './mount/node/to-http-request.ts'
export { toReadable } from './mount/node/to-readable.ts'

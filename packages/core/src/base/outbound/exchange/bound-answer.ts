import type { ClientRequest, IncomingMessage } from 'node:http'
import { PieceCount } from '../../runtime/piece-count.ts'

const maxInformational = 5

/**
 * An answer that takes much more time to parse than its content is worth. The message is a part of a sentence: it has
 * no capital and no full stop.
 */
export class CostlyAnswer extends Error {
  override readonly name = 'CostlyAnswer'
}

/**
 * Hands over the response of a request, and destroys the request if more than five informational responses come before
 * (`100 Continue`, `103 Early Hints`), or if the body comes in too many pieces: a limit of bytes does not bound the
 * number of callbacks. The request's error is a CostlyAnswer.
 *
 * @param onResponse must begin to read the body, or destroy the request
 */
export function boundAnswer(
  request: ClientRequest,
  onResponse: (response: IncomingMessage) => void,
): void {
  let informational = 0
  const countInformational = () => {
    informational++
    if (informational <= maxInformational) return
    request.off('information', countInformational)
    request.destroy(new CostlyAnswer('the answer has too many informational responses'))
  }
  request.on('information', countInformational)
  request.on('response', (response) => {
    // Node's parser goes through the rest of what was read, although the request is destroyed.
    if (request.destroyed) return
    const pieces = new PieceCount()
    // Destroying the request removes this listener and the reader's.
    response.on('data', (piece: Buffer) => {
      pieces.add(piece.length)
      if (pieces.isTooFine) request.destroy(new CostlyAnswer('the answer comes in too many pieces'))
    })
    onResponse(response)
  })
}

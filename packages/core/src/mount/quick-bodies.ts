/** How many bodies a turn of the event loop checks before their callers are known. A fault takes a third of a millisecond. */
const mostInTurn = 32

let checkedInTurn = 0

/** Whether one more may be checked in this turn of the event loop; others are checked in the turn of their account. */
export function mayCheckQuickBody(): boolean {
  if (checkedInTurn >= mostInTurn) return false
  if (checkedInTurn++ === 0) setImmediate(endTurn)
  return true
}

function endTurn(): void {
  checkedInTurn = 0
}

/** Counts the turns of the event loop. */
export function watchTurns(): { count: () => number; stop: () => void } {
  let turns = 0
  let isOver = false
  const note = () => {
    turns++
    if (!isOver) setImmediate(note)
  }
  setImmediate(note)
  return {
    count: () => turns,
    stop: () => {
      isOver = true
    },
  }
}

/** Why a tool has no answer, in words for the one who called it. */
export class ToolFault extends Error {
  override readonly name = 'ToolFault'
}

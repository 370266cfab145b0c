const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text can be an id at all: what cannot is not sent. */
export function isUuid(text: string | undefined): text is string {
  return text !== undefined && uuid.test(text)
}

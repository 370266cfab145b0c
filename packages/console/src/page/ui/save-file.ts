/** Gives a file to the browser as a download. */
export function saveFile(name: string, type: string, parts: BlobPart[]): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function saveJson(name: string, value: unknown): void {
  saveFile(name, 'application/json', [`${JSON.stringify(value, null, 2)}\n`])
}

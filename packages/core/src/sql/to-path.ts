/** The name of a table or function in PostgreSQL, as SQL has it */
export function toPath(schema: string | undefined, name: string): string {
  const path = schema === undefined ? [name] : [schema, name]
  return path.map((part) => `"${part.replaceAll('"', '""')}"`).join('.')
}

import type { Target } from './attack.ts'

/** Opens a session of the console by the API key, and answers with its cookie. */
export async function signInToConsole({ base, key }: Target): Promise<string> {
  const response = await fetch(`${base}/client/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'clientele-console': '1' },
    body: JSON.stringify({ api_key: key }),
  })
  const [cookie] = response.headers.get('set-cookie')?.split(';') ?? []
  if (cookie === undefined) throw new Error(`The console let nobody in: ${await response.text()}`)
  return cookie
}

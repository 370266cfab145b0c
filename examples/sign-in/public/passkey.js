// The browser's credentials are JSON: the backend passes them on to Clientele unchanged.

const headers = { 'content-type': 'application/json' }

/** Asks the site's backend. */
async function ask(path, body) {
  const request = { method: 'POST', headers, body: JSON.stringify(body ?? {}) }
  const response = await fetch(path, request).catch(() => {
    throw new Error('The site does not answer. Please try again.')
  })
  const answer = await response.json().catch(() => ({}))
  if (response.ok) return answer
  // The site's own refusals have a message, those of Clientele's guards a code and a detail.
  const message = answer.message ?? answer.detail ?? 'Something went wrong. Please try again.'
  throw Object.assign(new Error(message), { name: answer.code ?? 'Error' })
}

/** Messages of browsers and guards are written for programmers: show others. */
const sentences = {
  NotAllowedError: 'No passkey was used. Was it another device, or did you cancel?',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'Passkeys do not work at this address.',
  reauthentication_required: 'Please load this page again, and confirm that it is you.',
  token_missing: 'You are signed out. Please sign in again.',
}

/** Makes the button visible, and lets it get options, ask the browser, send its answer, and go on. */
export function offerPasskey(optionsPath, path, askBrowser) {
  const button = document.getElementById('passkey')
  const problem = document.getElementById('passkey-problem')
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return
  button.hidden = false
  button.addEventListener('click', async () => {
    problem.hidden = true
    button.disabled = true
    try {
      const credential = await askBrowser(await ask(optionsPath))
      const { next } = await ask(path, credential.toJSON())
      location.assign(next)
    } catch (error) {
      problem.textContent = sentences[error.name] ?? error.message
      problem.hidden = false
      button.disabled = false
      button.focus()
    }
  })
}

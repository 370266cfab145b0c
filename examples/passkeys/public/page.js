// The browser's credentials are JSON: the backend passes them on to Clientele unchanged.

const byId = (id) => document.getElementById(id)
const views = ['signed-out', 'second-factor', 'signed-in'].map(byId)
let secondFactorOptions

/** Asks the site's backend. */
async function ask(method, path, body) {
  const headers = { 'content-type': 'application/json' }
  const request = { method, headers, body: body && JSON.stringify(body) }
  const response = await fetch(path, request).catch(() => {
    throw new Error('The site does not answer. Please try again.')
  })
  const answer = response.status === 204 ? {} : await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.message ?? 'Something went wrong. Please try again.')
  return answer
}

async function createPasskey(options) {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  return (await navigator.credentials.create({ publicKey })).toJSON()
}

async function usePasskey(options) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return (await navigator.credentials.get({ publicKey })).toJSON()
}

/** Browsers' messages about passkeys are written for programmers: show others. */
const sentences = {
  NotAllowedError: 'No passkey was used. Was it another device, or did you cancel?',
  InvalidStateError: 'This device has a passkey of yours already.',
  SecurityError: 'Passkeys do not work at this address.',
}

/** Runs one action at a time, and shows its result. */
async function run(button, action) {
  say('done', '')
  say('fault', '')
  button.disabled = true
  try {
    say('done', (await action()) ?? '')
  } catch (error) {
    say('fault', sentences[error.name] ?? error.message)
  }
  button.disabled = false
  // Keep the keyboard focus.
  if (document.activeElement === document.body) button.focus()
}

function say(id, text) {
  byId(id).textContent = text && text[0].toUpperCase() + text.slice(1)
  byId(id).hidden = text === ''
}

function show(id) {
  for (const view of views) view.hidden = view.id !== id
  byId('sign-out').hidden = id !== 'signed-in'
  byId(id).querySelector('[tabindex]')?.focus()
}

const day = (time) => new Date(time).toLocaleDateString('en', { dateStyle: 'medium' })

/** Shows who has signed in, or asks who it is. */
async function showUser() {
  const { user, passkeys } = await ask('GET', 'me')
  if (user === null) return show('signed-out')
  byId('user-name').textContent = user.name
  byId('user-email').textContent = user.email
  byId('no-passkeys').hidden = passkeys.length > 0
  byId('passkeys').replaceChildren(...passkeys.map(toItem))
  if (byId('signed-in').hidden) show('signed-in')
}

function toItem({ id, name, use, created_at, last_used_at }) {
  const item = byId('passkey').content.cloneNode(true)
  const what = use === 'first_factor' ? 'Signs you in' : 'Asked for after the password'
  const used = last_used_at === null ? 'never used' : `last used ${day(last_used_at)}`
  item.querySelector('strong').textContent = name
  item.querySelector('small').textContent = `${what} · added ${day(created_at)} · ${used}`
  for (const button of item.querySelectorAll('button')) {
    button.setAttribute('aria-label', `${button.textContent} ${name}`)
    button.addEventListener('click', () => {
      byId('new-name').value = name
      const change = button.value === 'rename' ? rename : remove
      run(button, () => change(`passkeys/${id}`))
    })
  }
  return item
}

async function rename(path) {
  if (!(await isConfirmed('rename'))) return
  const { name } = await ask('PATCH', path, { name: byId('new-name').value })
  await showUser()
  byId('list-title').focus()
  return `It is called ${name} now.`
}

async function remove(path) {
  if (!(await isConfirmed('remove'))) return
  await ask('DELETE', path)
  await showUser()
  byId('list-title').focus()
  return 'It is removed.'
}

function isConfirmed(id) {
  const dialog = byId(id)
  dialog.returnValue = ''
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'ok'), { once: true })
  })
}

const signIn = {
  async passkey({ email }) {
    const options = await ask('POST', 'sign-in/passkey/options', email === '' ? {} : { email })
    await ask('POST', 'sign-in/passkey', await usePasskey(options))
    await showUser()
  },
  async 'sign-in'(credentials) {
    const { secondFactor } = await ask('POST', 'sign-in', credentials)
    byId('password').value = ''
    if (secondFactor === undefined) return showUser()
    secondFactorOptions = secondFactor
    show('second-factor')
  },
  async 'sign-up'(credentials) {
    await ask('POST', 'sign-up', credentials)
    byId('password').value = ''
    await showUser()
  },
}

byId('sign-in').addEventListener('submit', (event) => {
  event.preventDefault()
  const given = Object.fromEntries(new FormData(event.target))
  run(event.submitter, () => signIn[event.submitter.value](given))
})

byId('use-second').addEventListener('click', (event) =>
  run(event.target, async () => {
    await ask('POST', 'sign-in/second-factor', await usePasskey(secondFactorOptions))
    await showUser()
  }),
)

byId('give-up').addEventListener('click', () => show('signed-out'))

byId('enrol').addEventListener('submit', (event) => {
  event.preventDefault()
  const { name, use } = Object.fromEntries(new FormData(event.target))
  run(event.submitter, async () => {
    const options = await ask('POST', 'passkeys/options', { use })
    await ask('POST', 'passkeys', { name, use, response: await createPasskey(options) })
    await showUser()
    return `${name} is added.`
  })
})

byId('sign-out').addEventListener('click', (event) =>
  run(event.target, async () => {
    await ask('POST', 'sign-out')
    show('signed-out')
  }),
)

run(byId('sign-out'), showUser)

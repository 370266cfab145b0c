import { render } from 'preact'
import { App } from './app.tsx'
import { startSession } from './session/session.ts'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/controls.css'
import './style/content.css'
import './style/forms.css'
import './style/users.css'
import './style/keys.css'
import './style/transfer.css'
import './style/charts.css'
import './style/events.css'
import './style/webhooks.css'
import './style/reference.css'

const root = document.getElementById('app')
if (root !== null) render(<App />, root)
startSession()

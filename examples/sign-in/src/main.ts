import cookieParser from 'cookie-parser'
import express from 'express'
import { origin, port } from './clientele.ts'
import { changeEmail } from './flows/change-email.ts'
import { confirmAgain } from './flows/confirm-again.ts'
import { deleteData } from './flows/delete-data.ts'
import { expiredPassword } from './flows/expired-password.ts'
import { home } from './flows/home.ts'
import { invitation } from './flows/invitation.ts'
import { mailedCode } from './flows/mailed-code.ts'
import { passkeys } from './flows/passkeys.ts'
import { password } from './flows/password.ts'
import { resetPassword } from './flows/reset-password.ts'
import { secondFactor } from './flows/second-factor.ts'
import { mailbox } from './mails.ts'
import { refuseOtherSites, setHeaders } from './web/protect.ts'
import { continueSession } from './web/session.ts'

const app = express()
app.use(setHeaders, express.static(`${import.meta.dirname}/../public`))
app.use(refuseOtherSites, express.urlencoded({ extended: false }), cookieParser(), continueSession)
app.use(home, password, mailedCode, passkeys, secondFactor, expiredPassword)
app.use(invitation, resetPassword, changeEmail, confirmAgain, deleteData)
app.use(mailbox) // not on a real site
app.listen(port, '127.0.0.1', () => console.log(`Listening on ${origin}`))

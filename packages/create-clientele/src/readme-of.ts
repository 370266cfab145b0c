import { type Choices, choices } from './choices.ts'

const guides = 'https://github.com/clientele/clientele/blob/main/packages/core/guides'

/** The README of an app: how it is started, and where to go on. */
export function readmeOf(name: string, { framework, database, language, pages }: Choices): string {
  const ending = language === 'typescript' ? 'ts' : 'js'
  const title = choices.framework[framework]
  const before =
    database === 'postgresql'
      ? 'Set `DATABASE_URL` in `.env` to your PostgreSQL database. Then:\n\n'
      : ''
  const data =
    database === 'sqlite'
      ? 'The users are stored in `data/users.sqlite`, and the secret that protects them beside it: keep both.'
      : '`CLIENTELE_SECRET` in `.env` protects what is stored: keep it, and set it in production too.'
  return `# ${name}

${title} with [Clientele](https://github.com/clientele/clientele#readme).

${before}\`\`\`sh
npm install
npm start
\`\`\`

${pages === 'site' ? site(ending) : routes}

${data} \`PORT\` sets another port.${language === 'typescript' ? ' `npm run check` checks the types.' : ''}

Next: [signing in](${guides}/signing-in.md), [webhooks](${guides}/webhooks.md), [personal
data](${guides}/personal-data.md), [several processes](${guides}/several-processes.md).
`
}

function site(ending: string): string {
  return `Open http://127.0.0.1:3000: sign up, sign in, add an authenticator app.

| file | what it has |
|---|---|
| src/clientele.${ending} | Clientele and its database |
| src/account.${ending} | the account that the users of this site belong to |
| src/site.${ending} | the pages, and what their forms do |
| src/pages.${ending} | their HTML |
| src/messages.${ending} | what the pages say when Clientele refuses a form |
| src/visitor.${ending} | the user of a request: cookies, and tokens that are renewed |
| src/server.${ending} | the server, and \`GET /me\`, a route for users who are signed in |

In production set \`NODE_ENV=production\`, behind HTTPS: the cookies are then \`Secure\`. Behind a proxy set \`TRUST_PROXY=1\`
(2 behind two): without it all visitors have the proxy's address, and failed sign-ins of one stranger lock out every visitor.

What you may want to add: a forgotten password ([mails](${guides}/signing-in.md)), and removing a second factor
(\`clientele.mfa.remove\`).`
}

const routes = `The first start prints an API key. The routes for your customers are below
http://127.0.0.1:3000/api/v1, and \`GET /me\` is behind the guard.`

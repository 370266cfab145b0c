import type { RequestHandler } from 'express'

/** CSRF: only pages of this site may change something. Programs send neither this field nor cookies. */
export const refuseOtherSites: RequestHandler = (req, res, next) => {
  const site = req.get('sec-fetch-site') ?? 'none'
  const isRead = req.method === 'GET' || req.method === 'HEAD'
  if (isRead || site === 'same-origin' || site === 'none') next()
  else res.status(403).send('This request comes from another site.')
}

const policy = [
  ...["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"],
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
].join('; ')

/** Links in mails have tokens: `Referrer-Policy` keeps them from other sites. */
export const setHeaders: RequestHandler = (_req, res, next) => {
  res.set({
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  next()
}

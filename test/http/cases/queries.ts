import { invalid, problem } from '../support/answers.ts'
import { absentId, ada, type Case, row } from './case.ts'

export const queryCases: readonly Case[] = [
  ...['0', '-1', '1.5', '01x', '1e3', '%201', '+1', '0x1', 'a', '1000000000000000', '\u0661'].map(
    (value) =>
      row(
        `page=${value}`,
        { path: `/client/user?page=${encodeURI(value)}` },
        value === '0'
          ? invalid(['/page', 'too_small', 'must be at least 1'])
          : invalid(['/page', 'format', 'must be a whole number in decimal digits']),
      ),
  ),
  row(
    'limit=0',
    { path: '/client/user?limit=0' },
    invalid(['/limit', 'too_small', 'must be at least 1']),
  ),
  row(
    'limit=101',
    { path: '/client/user?limit=101' },
    invalid(['/limit', 'too_large', 'must be at most 100']),
  ),
  row(
    'a repeated parameter',
    { path: '/client/user?page=1&page=1' },
    invalid(['/page', 'repeated', 'must be given once']),
  ),
  row(
    'a repeated parameter in another spelling',
    { path: '/client/user?q=a&%71=b' },
    invalid(['/q', 'repeated', 'must be given once']),
  ),
  row(
    'empty parameters',
    { path: '/client/user?page=&limit&q=&email=&role=&is_active=&sort=&cursor=' },
    invalid(
      ...['page', 'limit', 'q', 'email', 'role', 'is_active', 'sort', 'cursor'].map(
        (name): [string, string, string] => [`/${name}`, 'empty', 'must not be empty'],
      ),
    ),
  ),
  row(
    'broken percent-encoding in a parameter',
    { path: '/client/user?q=%zz' },
    invalid(['/q', 'encoding', 'must be valid percent-encoded UTF-8']),
  ),
  row(
    'a parameter that is not UTF-8',
    { path: '/client/user?q=%ff' },
    invalid(['/q', 'encoding', 'must be valid percent-encoded UTF-8']),
  ),
  row(
    'NUL in a parameter',
    { path: '/client/user?q=a%00' },
    invalid(['/q', 'text_not_allowed', 'must not contain NUL or a lone surrogate']),
  ),
  row(
    'an order that is none',
    { path: '/client/user?sort=password' },
    invalid([
      '/sort',
      'value',
      'must be one of created_at, -created_at, email, -email, name, -name',
    ]),
  ),
  row(
    'is_active=1',
    { path: '/client/user?is_active=1' },
    invalid(['/is_active', 'value', 'must be one of true, false']),
  ),
  row(
    'email that is none',
    { path: '/client/user?email=x' },
    invalid(['/email', 'format', 'must be an e-mail address']),
  ),
  row(
    'a cursor that is none',
    { path: '/client/user?cursor=abc' },
    invalid(['/cursor', 'value', 'is not a cursor of a list in this order']),
  ),
  row(
    'all broken rules of a query at once',
    { path: '/client/user?page=x&limit=0&sort=a' },
    invalid(
      ['/page', 'format', 'must be a whole number in decimal digits'],
      ['/limit', 'too_small', 'must be at least 1'],
      ['/sort', 'value', 'must be one of created_at, -created_at, email, -email, name, -name'],
    ),
  ),
  row(
    'parameters of a change: repeated and empty',
    { method: 'PUT', path: `/client/user/${absentId}?keep_session=&keep_session=x`, json: ada },
    invalid(
      ['/keep_session', 'empty', 'must not be empty'],
      ['/keep_session', 'repeated', 'must be given once'],
    ),
  ),
  row(
    'parameters of an enrolment: empty',
    { method: 'POST', path: `/client/user/${absentId}/two-factor/totp?qr=` },
    invalid(['/qr', 'empty', 'must not be empty']),
  ),
  row(
    'a query without parameters',
    { path: `/client/user/${absentId}?&&` },
    problem('user_not_found'),
  ),
]

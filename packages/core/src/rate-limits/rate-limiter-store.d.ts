// The base class of stores is in the package's types, and at run time in a file of its own only.
declare module 'rate-limiter-flexible/lib/RateLimiterStoreAbstract.js' {
  export { RateLimiterStoreAbstract as default } from 'rate-limiter-flexible'
}

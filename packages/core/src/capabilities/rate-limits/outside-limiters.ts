// A file of its own, so that it can be loaded late: a bundler gives `import()` of a CommonJS package no names.
export { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'

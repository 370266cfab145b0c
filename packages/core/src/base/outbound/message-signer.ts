// A separate file, so that it is loaded on first use: bundlers lose the names of a CommonJS package in `import()`.
export { Webhook as MessageSigner } from 'standardwebhooks'

import base from "./vitest.config.js"
const test = base.test!
export default { ...base, test: { ...test, setupFiles: ["test/setupFile.ts", "/tmp/cpu-setup.mjs"] } }

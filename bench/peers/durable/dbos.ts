/** DBOS: a step is a `runStep`. */
import { DBOS } from "@dbos-inc/dbos-sdk"
import { type MakeDurable, receiptOf } from "./durable.js"

/** It takes a workflow once in a process, so what it pays with is given to it by name. */
let payment: (order: string, number: number) => Promise<void> = () => Promise.resolve()

const workflow = DBOS.registerWorkflow(
  async (order: string, payments: number) => {
    for (let number = 1; number <= payments; number++) {
      await DBOS.runStep(async () => number, { name: `think ${number}` })
      await DBOS.runStep(
        async () => {
          await payment(order, number)
          return receiptOf(order, number)
        },
        { name: `pay ${number}` }
      )
    }
    return payments
  },
  { name: "order" }
)

export const make: MakeDurable = async (url, pay) => {
  payment = pay
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 10,
    logLevel: "error",
    runAdminServer: false
  })
  await DBOS.launch()
  return {
    run: async (order, payments) =>
      (await DBOS.startWorkflow(workflow, { workflowID: order })(order, payments)).getResult(),
    close: () => DBOS.shutdown()
  }
}

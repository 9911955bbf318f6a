/** A collector of OTLP over HTTP, in JSON, on loopback. */
import { createServer } from "node:http"
import type { SeenMetric, SeenSpan } from "./breaches.js"

export interface CollectedSpan extends SeenSpan {
  readonly id: string
  readonly parent: string | undefined
  readonly status: { readonly code?: number; readonly message?: string }
}

interface Value {
  readonly stringValue?: string
  readonly intValue?: string | number
  readonly doubleValue?: number
  readonly boolValue?: boolean
  readonly arrayValue?: { readonly values?: ReadonlyArray<Value> }
}

type Attributes = ReadonlyArray<{ readonly key: string; readonly value: Value }>

const valueOf = (value: Value): unknown =>
  value.stringValue ??
  (value.intValue === undefined ? undefined : Number(value.intValue)) ??
  value.doubleValue ??
  value.boolValue ??
  value.arrayValue?.values?.map(valueOf) ??
  []

const attributesOf = (attributes: Attributes = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, valueOf(value)]))

const kinds = ["unspecified", "internal", "server", "client", "producer", "consumer"]

/* oxlint-disable typescript/no-explicit-any -- The shape is that of OTLP, which the exporter has typed. */
const spansIn = (body: any): ReadonlyArray<CollectedSpan> =>
  (body.resourceSpans ?? []).flatMap((resource: any) =>
    resource.scopeSpans.flatMap((scope: any) =>
      scope.spans.map((span: any) => ({
        name: span.name,
        id: span.spanId,
        parent: span.parentSpanId === "" ? undefined : span.parentSpanId,
        kind: kinds[span.kind] ?? String(span.kind),
        status: span.status ?? {},
        attributes: attributesOf(span.attributes)
      }))
    )
  )

const metricsIn = (body: any): ReadonlyArray<SeenMetric & { readonly count: number; readonly sum: number }> =>
  (body.resourceMetrics ?? []).flatMap((resource: any) =>
    resource.scopeMetrics.flatMap((scope: any) =>
      scope.metrics.flatMap((metric: any) =>
        (metric.histogram?.dataPoints ?? []).map((point: any) => ({
          name: metric.name,
          unit: metric.unit,
          count: Number(point.count),
          sum: point.sum,
          attributes: attributesOf(point.attributes)
        }))
      )
    )
  )
/* oxlint-enable typescript/no-explicit-any */

export const startCollector = async () => {
  const spans: Array<CollectedSpan> = []
  const metrics: Array<ReturnType<typeof metricsIn>[number]> = []
  const texts: Array<string> = []
  const server = createServer((request, response) => {
    const pieces: Array<Buffer> = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const text = Buffer.concat(pieces).toString()
      texts.push(text)
      const body: unknown = JSON.parse(text)
      spans.push(...spansIn(body))
      metrics.push(...metricsIn(body))
      response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port")
  return {
    url: `http://127.0.0.1:${address.port}`,
    spans,
    metrics,
    /** All that was sent. */
    text: () => texts.join("\n"),
    close: () => new Promise<void>((resolve) => server.close(() => resolve()))
  }
}

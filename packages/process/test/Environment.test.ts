import { Environment } from "@wield/process"
import { describe, expect, it } from "vitest"

describe("inherit", () => {
  it("finds on Windows the variables under whatever case they have, and gives them their usual names", () => {
    const environment = { Path: "C:\\Windows", TMP: "D:\\", SYSTEMROOT: "C:\\Windows", Aws_Key: "a", API_KEY: "secret" }
    expect(Environment.inherit(environment, ["AWS_*"], "win32")).toEqual({
      PATH: "C:\\Windows",
      TMP: "D:\\",
      SystemRoot: "C:\\Windows",
      Aws_Key: "a"
    })
    expect(Environment.inherit(environment, ["AWS_*"], "linux")).toEqual({})
  })
})

describe("filesOf", () => {
  it("names a program's files in each absolute folder of the path, with Windows' separators and endings", () => {
    const environment = {
      Path: 'C:\\Python;"D:\\Programs;x86";relative;;C:relative;\\\\host\\share',
      PATHEXT: ".EXE;.CMD"
    }
    expect(Environment.filesOf("python3", environment, { platform: "win32" })).toEqual([
      "C:\\Python\\python3.EXE",
      "C:\\Python\\python3.CMD",
      "D:\\Programs;x86\\python3.EXE",
      "D:\\Programs;x86\\python3.CMD",
      "\\\\host\\share\\python3.EXE",
      "\\\\host\\share\\python3.CMD"
    ])
    expect(Environment.filesOf("python3.exe", { PATH: "C:\\Python" }, { platform: "win32" })).toContain(
      "C:\\Python\\python3.exe"
    )
  })

  it("takes a folder as it is elsewhere, and leaves out those that are not absolute", () => {
    const environment = { PATH: "/bin:relative::/usr/bin", Path: "/never", PATHEXT: ".EXE" }
    expect(Environment.filesOf("sh", environment, { platform: "linux" })).toEqual(["/bin/sh", "/usr/bin/sh"])
    expect(Environment.filesOf("sh", environment, { platform: "linux", from: "/work" })).toEqual([
      "/bin/sh",
      "/work/relative/sh",
      "/work/sh",
      "/usr/bin/sh"
    ])
  })
})

import { expect, it } from "@effect/vitest"
import { shebangOf } from "./shebang.js"

it.each<readonly [string, ReadonlyArray<string> | undefined]>([
  ["#!/usr/bin/env python3\nprint()", ["/usr/bin/env", "python3"]],
  ["#!/usr/bin/env -S python3 -O -X utf8\r\n", ["/usr/bin/env", "-S", "python3", "-O", "-X", "utf8"]],
  ["#! /bin/bash -e", ["/bin/bash", "-e"]],
  [`#!/usr/bin/env -S sh -c 'a b' "c \\"d" e\\ f`, ["/usr/bin/env", "-S", "sh", "-c", "a b", 'c "d', "e f"]],
  ["#!/opt/it's", ["/opt/its"]],
  ["#!\necho", undefined],
  ["#!   ", undefined],
  ["\n#!/bin/sh", undefined],
  ["# !/bin/sh", undefined],
  ["", undefined]
])("takes the first line of %j apart", (text, words) => {
  expect(shebangOf(text)).toStrictEqual(words)
})

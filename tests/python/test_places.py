"""Programs on several devices of the process: devices=[...]."""
import unittest

import numpy

import hoist

STENCIL = """
def smooth(u: [H][W]i32): [H][W]i32 =
  u |> pad2(1, 1, wrap) |> slide2(3, 1) |> map2(n => (n[0][1] + n[1][0] + 2 * n[1][1] + n[1][2] + n[2][1]) % 1009)
"""


class Places(unittest.TestCase):
    def setUp(self):
        self.step = hoist.program(STENCIL)
        self.u = (numpy.arange(23 * 7, dtype=numpy.int32) ** 2 % 97).reshape(23, 7)

    def test_results_are_those_of_one_device(self):
        for device in [each.id for each in hoist.devices() if each.type == "cpu"]:
            for steps in (1, 2, 5):
                expected = self.step(self.u, steps=steps, device=device)
                for shares in ([1], [1, 1], [3, 1]):
                    with self.subTest(device=device, steps=steps, shares=shares):
                        got = self.step(self.u, steps=steps, devices=[device] * len(shares), shares=shares)
                        self.assertTrue((got == expected).all())
                got = self.step(self.u, steps=steps, devices=[device] * 2, grid=(1, 2))
                self.assertTrue((got == expected).all())
        self.assertGreater(self.step.kernel_seconds, 0)

    def test_out_and_numbers(self):
        out = numpy.empty_like(self.u)
        self.assertIs(self.step(self.u, devices=["host", "host"], out=out), out)
        self.assertTrue((out == self.step(self.u, device="host")).all())
        total = hoist.program("def total(a: i32, x: [N]i32): i32 = x |> map(e => a * e) |> reduce(+, 0)")
        self.assertEqual(total(3, self.u.ravel(), devices=["host", "host"]), 3 * self.u.sum())

    def test_a_device_that_is_closed_is_opened_again(self):
        first = self.step(self.u, devices=["host", "host"])
        hoist.close("host")
        self.assertTrue((self.step(self.u, devices=["host", "host"]) == first).all())

    def test_what_is_wrong(self):
        for options, says in [({"devices": []}, "devices is an empty list"), ({"devices": "host"}, "devices is a list"),
                              ({"devices": ["host"], "device": "host"}, "device and devices do not go together"),
                              ({"devices": [7]}, "device is a text"), ({"devices": ["host:9"]}, "host:9"),
                              ({"shares": [1]}, "shares needs devices or ranks"),
                              ({"devices": ["host", "host"], "shares": [1]}, "there are 1 shares for 2 devices"),
                              ({"devices": ["host", "host"], "shares": "ab"}, "shares is a list of numbers"),
                              ({"grid": (1, 2)}, "grid needs devices or ranks"),
                              ({"devices": ["host", "host"], "grid": 2}, "grid is how many rows of parts"),
                              ({"devices": ["host", "host"], "grid": (0, 2)}, "grid is how many rows of parts"),
                              ({"devices": ["host", "host"], "grid": (-1, 2)}, "grid is how many rows of parts"),
                              ({"devices": ["host", "host"], "grid": (2, 2)}, "a grid of 2 by 2 has not 2 parts"),
                              ({"devices": ["host"] * 1000}, "cannot be cut into 1000 parts"),
                              ({"devices": ["host"], "feed": "u"}, "feed needs steps")]:
            with self.subTest(options=options), self.assertRaisesRegex(hoist.Error, says):
                self.step(self.u, **options)
        with self.assertRaisesRegex(hoist.UserError, "cannot be given to several devices"):
            self.step(hoist.array(self.u, "host"), devices=["host", "host"])
        with self.assertRaisesRegex(hoist.UserError, "is in the memory of another array"):
            self.step(self.u, devices=["host", "host"], out=self.u)

"""The rules of games/ again, at native speed, for search engines.

`interface.py` says what every kernel offers; `group_kernel.py` plays Yodd and Xodd,
`odd_kernel.py` Odd and `ayu_kernel.py` Ayu; `turns.py` makes whole turns of their actions. The
tests prove each equal to games/.
"""
